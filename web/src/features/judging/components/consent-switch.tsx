import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { SwitchField } from '@/components/ui/switch-field';

type ConsentSwitchProps = {
  label: string;
  hint: string;
  allowed: boolean;
  /** Where photos would go; null where they stay. */
  host: string | null;
  disabled: boolean;
  onDecide: (allowed: boolean) => void;
};

/** Yes or no to a second opinion. A yes that lets photos leave is asked for twice. */
export function ConsentSwitch({
  label,
  hint,
  allowed,
  host,
  disabled,
  onDecide,
}: ConsentSwitchProps) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <SwitchField
        label={label}
        hint={hint}
        on={allowed}
        disabled={disabled}
        onChange={(next) => {
          if (next && host !== null) setAsking(true);
          else onDecide(next);
        }}
      />
      <Dialog
        open={asking}
        onClose={() => setAsking(false)}
        title="Let photos leave this server?"
        description={`Photos that the model is not sure of are sent to ${host ?? 'another machine'}. What happens to them there is for its operator to say.`}
        footer={
          <>
            <Button onClick={() => setAsking(false)}>Cancel</Button>
            <Button
              look="primary"
              onClick={() => {
                setAsking(false);
                onDecide(true);
              }}
            >
              Allow
            </Button>
          </>
        }
      >
        <p className="text-sm text-soft">
          You can stop it here at any time. Each scan says whether its photo was sent, and where.
          Names of parts and vehicles are sent only when you ask the AI to fill something in.
        </p>
      </Dialog>
    </>
  );
}
