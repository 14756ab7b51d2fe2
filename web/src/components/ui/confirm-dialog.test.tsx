import { fireEvent, screen, waitFor } from '@testing-library/react';
import { useRef } from 'react';
import { expect, it, vi } from 'vitest';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';
import { confirm, renderScreen } from '@/testing/render';

it('keeps the second tap of a double tap from what lies behind it', async () => {
  const pressed = vi.fn();
  function Screen() {
    const behind = useRef<HTMLButtonElement>(null);
    return (
      <>
        <ConfirmDialog
          trigger={<button>Ask</button>}
          title="Sure?"
          description="It goes."
          confirmLabel="Yes"
          onConfirm={vi.fn()}
          focusOnConfirm={behind}
        />
        <button ref={behind} onClick={pressed}>
          Behind
        </button>
      </>
    );
  }
  const { person } = renderScreen(<Screen />);
  await person.click(screen.getByRole('button', { name: 'Ask' }));
  await confirm(person, 'Yes');
  await waitFor(() => expect(screen.getByRole('button', { name: 'Behind' })).toHaveFocus());
  const behind = screen.getByRole('button', { name: 'Behind' });
  fireEvent.click(behind, { detail: 2 });
  expect(pressed).not.toHaveBeenCalled();
  fireEvent.click(behind, { detail: 1 });
  expect(pressed).toHaveBeenCalledOnce();
});
