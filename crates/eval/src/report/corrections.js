// Lets people decide about each label to check, and download what they decided. Paths and labels stand in the page as
// fields of CSV, percent-encoded, so that here they are only joined.
(() => {
  const section = document.getElementById('wrong-labels');
  const all = document.getElementById('other-labels');
  const status = section.querySelector('[role=status]');
  const button = section.querySelector('button');
  const items = [...section.querySelectorAll('li[data-path]')];
  let isSaved = true;

  /** The chosen label, or null before one is chosen. */
  const chosen = (item) => {
    const radio = item.querySelector('input:checked');
    if (radio === null) return null;
    if (!radio.hasAttribute('data-other')) return radio.value;
    const select = item.querySelector('select');
    return select.selectedIndex > 0 ? select.value : null;
  };

  const show = () => {
    const count = items.filter((item) => chosen(item) !== null).length;
    status.textContent = `${count} of ${items.length} decided.`;
    button.disabled = count === 0;
  };

  for (const item of items) {
    const select = item.querySelector('select');
    for (const option of all.options) select.append(option.cloneNode(true));
    select.addEventListener('change', () => {
      item.querySelector('[data-other]').checked = true;
    });
    item.addEventListener('change', () => {
      isSaved = false;
      show();
    });
    item.querySelector('fieldset').hidden = false;
  }
  section.querySelector('.corrections').hidden = false;
  show();

  button.addEventListener('click', () => {
    const row = (item) => {
      const label = chosen(item);
      return label === null
        ? ''
        : `${decodeURIComponent(item.dataset.path)},${decodeURIComponent(label)}\n`;
    };
    const csv = `path,label\n${items.map(row).join('')}`;
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob([csv], { type: 'text/csv' }));
    link.download = 'corrections.csv';
    link.click();
    isSaved = true;
  });
  addEventListener('beforeunload', (event) => {
    if (!isSaved) event.preventDefault();
  });
})();
