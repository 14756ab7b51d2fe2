import { AlertDialog } from 'radix-ui';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { dropSecondTap, keepFocus } from '@/lib/dialog-focus';

type QuestionProps = {
  title: string;
  description: ReactNode;
  confirmLabel: string;
  cancelLabel: string;
  onConfirm: () => void;
  /** What was confirmed is under way: until it is answered, nothing closes the question. */
  busy?: boolean;
  /** Where the focus goes when the question closes; it goes nowhere by itself. */
  onCloseAutoFocus: (event: Event) => void;
};

/** What an `AlertDialog` shows: the question, and the safe answer with the focus. */
export function Question({
  title,
  description,
  confirmLabel,
  cancelLabel,
  onConfirm,
  busy = false,
  onCloseAutoFocus,
}: QuestionProps) {
  return (
    <AlertDialog.Portal>
      <AlertDialog.Overlay
        onMouseDown={keepFocus}
        className="fixed inset-0 z-40 animate-fade bg-black/70"
      />
      <AlertDialog.Content
        onClick={dropSecondTap}
        onCloseAutoFocus={onCloseAutoFocus}
        className="fixed inset-x-3 top-1/2 z-50 mx-auto max-h-[calc(100dvh-1.5rem)] max-w-md -translate-y-1/2 animate-fade overflow-y-auto rounded-xl border bg-surface p-5 shadow-float"
      >
        <AlertDialog.Title className="text-lg font-semibold tracking-tight">
          {title}
        </AlertDialog.Title>
        <AlertDialog.Description asChild>
          <div className="mt-1 text-sm text-soft">{description}</div>
        </AlertDialog.Description>
        <div className="mt-5 flex flex-wrap justify-end gap-2">
          <AlertDialog.Cancel asChild>
            <Button disabled={busy}>{cancelLabel}</Button>
          </AlertDialog.Cancel>
          <AlertDialog.Action asChild>
            <Button look="danger" disabled={busy} onClick={onConfirm}>
              {confirmLabel}
            </Button>
          </AlertDialog.Action>
        </div>
      </AlertDialog.Content>
    </AlertDialog.Portal>
  );
}
