import { AlertDialog } from 'radix-ui';
import { useRef, useState, type ReactNode, type RefObject } from 'react';
import { Question } from '@/components/ui/question';

type ConfirmDialogProps = {
  trigger: ReactNode;
  title: string;
  description: ReactNode;
  confirmLabel: string;
  /** The safe answer, where `Cancel` could be taken for the other one. */
  cancelLabel?: string;
  /** May return a promise, which says itself what failed: the question stays until it has settled. */
  onConfirm: () => unknown;
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
  const [open, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const confirmed = useRef(false);
  const show = (next: boolean) => {
    setOpen(next);
    onOpenChange?.(next);
  };
  const confirm = async () => {
    confirmed.current = true;
    setBusy(true);
    await Promise.allSettled([onConfirm()]);
    setBusy(false);
    show(false);
  };
  return (
    <AlertDialog.Root
      open={open}
      onOpenChange={(next) => {
        if (!confirmed.current) show(next);
      }}
    >
      <AlertDialog.Trigger asChild>{trigger}</AlertDialog.Trigger>
      <Question
        {...question}
        cancelLabel={cancelLabel}
        busy={busy}
        onConfirm={() => void confirm()}
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
