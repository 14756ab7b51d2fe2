import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { Field } from '@/components/ui/field';
import { useTypedScan } from '@/hooks/use-typed-scan';
import { renderScreen } from '@/testing/render';
import { scanCode } from '@/testing/scanner';

const onScan = vi.fn<(text: string) => void>();

function Screen() {
  useTypedScan(onScan);
  return (
    <>
      <button type="button">Scan</button>
      <form role="dialog" aria-label="Add repair">
        <Field label="Part number" />
        <Field label="Find" type="search" />
        <textarea aria-label="Notes" />
        <button type="submit">Save</button>
      </form>
    </>
  );
}

it('leaves a scan in the field of a form, and does not send the form by its Enter', async () => {
  const { person } = renderScreen(<Screen />);
  const field = screen.getByRole('textbox', { name: 'Part number' });
  expect(scanCode(field, 'SP96051')).toEqual([...Array<boolean>(7).fill(true), false]);
  expect(onScan).not.toHaveBeenCalled();
  // Enter of a person, and that of a scan into a search or a text of several lines, do what they do.
  const sent = vi.fn<(event: SubmitEvent) => void>((event) => event.preventDefault());
  screen.getByRole('dialog').addEventListener('submit', sent);
  await person.type(field, '9{Enter}');
  expect(sent).toHaveBeenCalledOnce();
  expect(scanCode(screen.getByRole('searchbox'), 'SP96051')).not.toContain(false);
  expect(scanCode(screen.getByRole('textbox', { name: 'Notes' }), 'SP96051')).not.toContain(false);
});

it.each([
  ['SP96051', 'SP96051'],
  ['0 986 479 R51', '0 986 479 R51'],
  [']C1SP96051', 'SP96051'],
  ['abc', null],
  ['     ', null],
  ['x'.repeat(600), null],
])('takes %j on a screen for the scan %j', (typed, scan) => {
  onScan.mockClear();
  function Empty() {
    useTypedScan(onScan);
    return <button type="button">Scan</button>;
  }
  renderScreen(<Empty />);
  scanCode(screen.getByRole('button'), typed);
  expect(onScan.mock.calls).toEqual(scan === null ? [] : [[scan]]);
});
