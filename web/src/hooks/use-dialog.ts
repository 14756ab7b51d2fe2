import { useState } from 'react';

/** A dialog that is mounted at its first opening, and stays mounted while it closes. */
export function useDialog(openAtFirst = false) {
  const [{ open, turn }, setDialog] = useState({ open: openAtFirst, turn: openAtFirst ? 1 : 0 });
  return {
    /** How often it was opened; as its key, it makes each opening begin afresh. */
    turn,
    show: () => setDialog({ open: true, turn: turn + 1 }),
    /** What the dialog takes. */
    props: {
      open,
      // What an earlier opening began may end, and close it, only now.
      onClose: () => setDialog((now) => (now.turn === turn ? { open: false, turn } : now)),
    },
  };
}
