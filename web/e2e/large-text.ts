import { expect, type Page } from '@playwright/test';

/**
 * With text of twice the size: nothing is wider than the window, no icon or word stands out of its button, and no short
 * word is broken, as it is where what stands beside it takes its room.
 */
export async function expectRoomForLargeText(page: Page) {
  const style = await page.addStyleTag({ content: 'html { font-size: 200%; }' });
  // All is laid out anew only as it is drawn.
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  const faults = () => page.evaluate(faultsOfLayout);
  await expect.poll(faults, `large text on ${new URL(page.url()).pathname}`).toEqual([]);
  await style.evaluate((it) => (it as Element).remove());
}

/** Runs in the page. */
function faultsOfLayout(): string[] {
  // Of an address that is longer than a line no part counts, nor do letters among digits.
  const SHORT_WORD = /(?<![\p{L}\d]|[\p{L}\d][@.])\p{L}{3,9}(?![\p{L}\d]|[@.][\p{L}\d])/gu;
  const faults: string[] = [];
  const wide = document.documentElement.scrollWidth - window.innerWidth;
  if (wide > 0) faults.push(`${wide} px wider than the window`);
  for (const icon of document.querySelectorAll(':is(button, a) svg')) {
    const [inner, outer] = [icon, icon.closest('button, a')].map((it) =>
      it?.getBoundingClientRect(),
    );
    if (inner === undefined || outer === undefined || inner.width === 0) continue;
    if (inner.left < outer.left - 1 || inner.right > outer.right + 1) {
      faults.push(`an icon stands out of ${icon.closest('button, a')?.textContent}`);
    }
  }
  const standsOut = (text: Text) => {
    const button = text.parentElement?.closest('button, a');
    if (button == null || text.data.trim() === '') return false;
    const range = document.createRange();
    range.selectNodeContents(text);
    const own = text.parentElement?.getBoundingClientRect();
    // What only a screen reader tells is a pixel wide.
    if (own === undefined || own.width <= 1) return false;
    return range.getBoundingClientRect().right > button.getBoundingClientRect().right + 1;
  };
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const text = texts.currentNode as Text;
    if (text.parentElement?.checkVisibility() !== true) continue;
    if (standsOut(text)) faults.push(`"${text.data}" stands out of its button`);
    for (const { 0: word, index } of text.data.matchAll(SHORT_WORD)) {
      const range = document.createRange();
      range.setStart(text, index);
      range.setEnd(text, index + word.length);
      const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)));
      if (lines.size > 1) faults.push(`"${word}" is broken`);
    }
  }
  return faults;
}
