import { useEffect, useRef, type RefObject } from 'react';
import { resetApp } from '@/app/shell/reset-app';
import { Button } from '@/components/ui/button';
import { ConfirmDialog } from '@/components/ui/confirm-dialog';

type ResetButtonProps = {
  /** Takes the focus when the question is answered. */
  line: RefObject<HTMLElement | null>;
  onAsking: (asking: boolean) => void;
};

/** The hidden way out for those whose browser holds something broken. */
export function ResetButton({ line, onAsking }: ResetButtonProps) {
  const button = useRef<HTMLButtonElement>(null);
  // It makes the page longer, and what comes at its end is under the bottom bar.
  useEffect(() => button.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <ConfirmDialog
      trigger={
        <Button ref={button} look="danger" size="small" className="scroll-mb-3">
          Reset App (Clear Cache)
        </Button>
      }
      title="Reset App"
      description="This will clear all caches and reload the app. Continue?"
      confirmLabel="Continue"
      focusOnConfirm={line}
      onOpenChange={onAsking}
      onConfirm={resetApp}
    />
  );
}
