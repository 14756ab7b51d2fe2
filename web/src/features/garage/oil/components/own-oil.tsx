import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { isSignedOut } from '@/api/api-error';
import type { Schemas } from '@/api/client';
import { FormAlert } from '@/components/form-alert';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import { formOfOwnOil, ownOilSchema } from '@/features/garage/oil/model';
import { oilMutations } from '@/features/garage/oil/mutations';
import { oilQueries } from '@/features/garage/oil/queries';
import { useFailureToast } from '@/hooks/use-failure-toast';
import { useForm } from '@/hooks/use-form';
import { useIsShown } from '@/hooks/use-is-shown';

type OwnOilProps = {
  vehicleId: string;
  /** Told whether something is typed that is not saved. */
  onChanged: (isChanged: boolean) => void;
};

/** The owner's own values, which stand above every table. */
export function OwnOil({ vehicleId, onChanged }: OwnOilProps) {
  const own = useQuery(oilQueries.own(vehicleId));
  const [editing, setEditing] = useState(false);
  const edit = useRef<HTMLButtonElement>(null);
  if (own.data === undefined) return null;
  const close = () => {
    setEditing(false);
    // The button is drawn again before it can take the focus.
    requestAnimationFrame(() => edit.current?.focus());
  };
  return editing ? (
    <OwnOilForm vehicleId={vehicleId} own={own.data} onChanged={onChanged} onClose={close} />
  ) : (
    <Button ref={edit} size="small" onClick={() => setEditing(true)} className="justify-self-start">
      {own.data === null ? 'Enter your own values' : 'Change your own values'}
    </Button>
  );
}

type OwnOilFormProps = OwnOilProps & { own: Schemas['VehicleOil'] | null; onClose: () => void };

function OwnOilForm({ vehicleId, own, onChanged, onClose }: OwnOilFormProps) {
  const toast = useToast();
  const fail = useFailureToast();
  const isShown = useIsShown();
  const form = useForm({
    schema: ownOilSchema,
    initial: formOfOwnOil(own),
    draftKey: `draft.oil.${vehicleId}`,
    alert: true,
  });
  const { isChanged } = form;
  useEffect(() => {
    onChanged(isChanged);
    return () => onChanged(false);
  }, [isChanged, onChanged]);
  const after = (description: string) => ({
    onSuccess: () => toast({ title: 'Oil values saved', description }),
    onError: (error: Error) => {
      const fallback = 'The values could not be saved. Please try again.';
      form.refuse(error, fallback);
      // Whoever left meanwhile sees no form that could say it.
      if (isSignedOut(error) || !isShown.current) fail(error, fallback);
    },
  });
  const save = useMutation({
    mutationFn: oilMutations.setOwn(vehicleId),
    ...after('Your values count from now on.'),
  });
  const forget = useMutation({
    mutationFn: oilMutations.forgetOwn(vehicleId),
    ...after('Our values count again.'),
  });
  const busy = save.isPending || forget.isPending;
  return (
    <form
      noValidate
      aria-label="Your own oil values"
      className="grid grid-cols-2 gap-4 rounded-md border bg-canvas p-4"
      onSubmit={form.submit((body) => {
        if (!busy) save.mutate(body, { onSuccess: onClose });
      })}
    >
      <FormAlert refusal={form.refusal} className="col-span-2" />
      <Field
        label="Oil type"
        placeholder="0W-20"
        autoComplete="off"
        maxLength={80}
        autoFocus
        {...form.bind('oilType')}
      />
      <Field
        label="Capacity in quarts"
        placeholder="4.4"
        inputMode="decimal"
        autoComplete="off"
        {...form.bind('oilCapacityQuarts')}
      />
      <Field
        label="Filter"
        autoComplete="off"
        maxLength={80}
        className="col-span-2"
        hint="Number or name. Fields that stay empty keep our value."
        {...form.bind('oilFilter')}
      />
      <div className="col-span-2 flex flex-wrap justify-end gap-2">
        {own !== null && (
          <Button
            look="ghost"
            size="small"
            disabled={busy}
            onClick={() => forget.mutate(undefined, { onSuccess: onClose })}
            className="mr-auto"
          >
            Forget mine
          </Button>
        )}
        <Button size="small" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" size="small" look="primary" disabled={busy}>
          {save.isPending ? 'Saving...' : 'Save'}
        </Button>
      </div>
    </form>
  );
}
