import { AlertDialog } from 'radix-ui';
import { useLayoutEffect, useRef } from 'react';
import { Question } from '@/components/ui/question';

type LeaveQuestionProps = {
  open: boolean;
  onKeep: () => void;
  onLeave: () => void;
};

/** Asks before what was typed, or is not sent yet, is lost; whoever keeps editing is where they were. */
export function LeaveQuestion({ open, onKeep, onLeave }: LeaveQuestionProps) {
  const focusBefore = useRef<Element | null>(null);
  const leaving = useRef(false);
  // Before the question takes the focus.
  useLayoutEffect(() => {
    if (!open) return;
    leaving.current = false;
    focusBefore.current = focusedOrDialog();
  }, [open]);
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => {
        // Each answer closes the question.
        if (!next && !leaving.current) onKeep();
      }}
    >
      <Question
        title="Leave without saving?"
        description="What is not saved or sent yet will be lost."
        confirmLabel="Leave"
        cancelLabel="Keep Editing"
        onConfirm={() => {
          leaving.current = true;
          onLeave();
        }}
        onCloseAutoFocus={(event) => {
          event.preventDefault();
          const before = focusBefore.current;
          // A dialog that closes as well says itself where the focus goes, and a form that opens takes it.
          const stays =
            document.activeElement === document.body &&
            before instanceof HTMLElement &&
            before.closest('[data-state=closed]') === null;
          if (stays) before.focus();
        }}
      />
    </AlertDialog.Root>
  );
}

/** A tap beside a dialog takes the focus from its field; the dialog itself can hold it. */
function focusedOrDialog(): Element | null {
  const { activeElement, body } = document;
  return activeElement === body ? document.querySelector('[role="dialog"]') : activeElement;
}
