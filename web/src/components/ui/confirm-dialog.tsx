import { AlertDialog } from 'radix-ui';
import { useRef, type ReactNode, type RefObject } from 'react';
import { Question } from '@/components/ui/question';

type ConfirmDialogProps = {
  trigger: ReactNode;
  title: string;
  description: ReactNode;
  confirmLabel: string;
  /** The safe answer, where `Cancel` could be taken for the other one. */
  cancelLabel?: string;
  onConfirm: () => void;
  /** Takes the focus after a yes, which disables the trigger or removes it. */
  focusOnConfirm: RefObject<HTMLElement | null> | (() => HTMLElement | null);
  onOpenChange?: (open: boolean) => void;
};

/** Asks before something that cannot be taken back; the safe answer has the focus. */
export function ConfirmDialog({
  trigger,
  cancelLabel = 'Cancel',
  onConfirm,
  focusOnConfirm,
  onOpenChange,
  ...question
}: ConfirmDialogProps) {
  const confirmed = useRef(false);
  return (
    <AlertDialog.Root {...(onOpenChange !== undefined && { onOpenChange })}>
      <AlertDialog.Trigger asChild>{trigger}</AlertDialog.Trigger>
      <Question
        {...question}
        cancelLabel={cancelLabel}
        onConfirm={() => {
          confirmed.current = true;
          onConfirm();
        }}
        onCloseAutoFocus={(event) => {
          if (!confirmed.current) return;
          confirmed.current = false;
          event.preventDefault();
          const target =
            typeof focusOnConfirm === 'function' ? focusOnConfirm() : focusOnConfirm.current;
          target?.focus();
        }}
      />
    </AlertDialog.Root>
  );
}
