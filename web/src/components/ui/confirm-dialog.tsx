import { AlertDialog } from 'radix-ui';
import { useRef, type ReactNode, type RefObject } from 'react';
import { Button } from '@/components/ui/button';

type ConfirmDialogProps = {
  trigger: ReactNode;
  title: string;
  description: ReactNode;
  confirmLabel: string;
  /** The safe answer, where `Cancel` could be taken for the other one. */
  cancelLabel?: string;
  onConfirm: () => void;
  /** Takes the focus after a yes, which disables the trigger or removes it. */
  focusOnConfirm: RefObject<HTMLElement | null>;
  onOpenChange?: (open: boolean) => void;
};

/** Asks before something that cannot be taken back; the safe answer has the focus. */
export function ConfirmDialog({
  trigger,
  title,
  description,
  confirmLabel,
  cancelLabel = 'Cancel',
  onConfirm,
  focusOnConfirm,
  onOpenChange,
}: ConfirmDialogProps) {
  const confirmed = useRef(false);
  return (
    <AlertDialog.Root {...(onOpenChange !== undefined && { onOpenChange })}>
      <AlertDialog.Trigger asChild>{trigger}</AlertDialog.Trigger>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 animate-fade bg-black/70" />
        <AlertDialog.Content
          onCloseAutoFocus={(event) => {
            if (!confirmed.current) return;
            confirmed.current = false;
            event.preventDefault();
            focusOnConfirm.current?.focus();
          }}
          className="fixed inset-x-3 top-1/2 z-50 mx-auto max-w-md -translate-y-1/2 animate-fade rounded-xl border bg-surface p-5 shadow-float"
        >
          <AlertDialog.Title className="text-lg font-semibold tracking-tight">
            {title}
          </AlertDialog.Title>
          <AlertDialog.Description asChild>
            <div className="mt-1 text-sm text-soft">{description}</div>
          </AlertDialog.Description>
          <div className="mt-5 flex flex-wrap justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button>{cancelLabel}</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button
                look="danger"
                onClick={() => {
                  confirmed.current = true;
                  onConfirm();
                }}
              >
                {confirmLabel}
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
