import { Switch } from 'radix-ui';
import { useId, useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';

type ConsentSwitchProps = {
  allowed: boolean;
  /** Where photos would go; null where they stay. */
  host: string | null;
  inCompany: boolean;
  saving: boolean;
  onDecide: (allowed: boolean) => void;
};

/** Yes or no to a second opinion. A yes that lets photos leave is asked for twice. */
export function ConsentSwitch({ allowed, host, inCompany, saving, onDecide }: ConsentSwitchProps) {
  const id = useId();
  const [asking, setAsking] = useState(false);
  return (
    <div className="flex items-center justify-between gap-4 rounded-md border p-3">
      <div>
        <label htmlFor={id} className="text-sm font-medium">
          Allow a second opinion
        </label>
        <p className="text-xs text-muted">
          {inCompany ? 'Holds for all members of your company.' : 'Holds for your scans.'}
        </p>
      </div>
      <Switch.Root
        id={id}
        checked={allowed}
        disabled={saving}
        onCheckedChange={(next) => {
          if (next && host !== null) setAsking(true);
          else onDecide(next);
        }}
        className="h-7 w-12 shrink-0 rounded-full border border-control bg-canvas p-0.5 transition-colors disabled:opacity-60 data-[state=checked]:border-accent data-[state=checked]:bg-accent"
      >
        <Switch.Thumb className="block size-5 rounded-full bg-muted transition-transform data-[state=checked]:translate-x-5 data-[state=checked]:bg-on-accent" />
      </Switch.Root>
      <Dialog
        open={asking}
        onClose={() => {
          setAsking(false);
        }}
        title="Let photos leave this server?"
        description={`Photos that the model is not sure of are sent to ${host ?? 'another machine'}. What happens to them there is for its operator to say.`}
        footer={
          <>
            <Button
              onClick={() => {
                setAsking(false);
              }}
            >
              Cancel
            </Button>
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
        </p>
      </Dialog>
    </div>
  );
}
