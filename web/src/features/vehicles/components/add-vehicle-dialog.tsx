import { useMutation } from '@tanstack/react-query';
import type { ChangeEvent } from 'react';
import { useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { isSignedOut, sentenceOf } from '@/api/api-error';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { CONTROL_CLASS, Field } from '@/components/ui/field';
import { useToast } from '@/components/ui/use-toast';
import {
  emptyVehicleForm,
  parseVehicleForm,
  TRANSMISSIONS,
  typedVin,
  unreadableFields,
  VIN_MAX_LENGTH,
  type VehicleForm,
} from '@/features/vehicles/model';
import { vehicleMutations } from '@/features/vehicles/mutations';
import { focusFirstInvalid } from '@/lib/focus';
import { vehicleName } from '@/lib/format';

type AddVehicleDialogProps = {
  open: boolean;
  onClose: () => void;
  /** The session ended meanwhile: the page takes the person to the sign-in. */
  onSignedOut: () => void;
};

export function AddVehicleDialog({ open, onClose, onSignedOut }: AddVehicleDialogProps) {
  const formId = useId();
  const toast = useToast();
  const [form, setForm] = useState(() => emptyVehicleForm(new Date()));
  const [message, setMessage] = useState<string | null>(null);
  const [checked, setChecked] = useState(false);
  const invalid = checked ? unreadableFields(form) : [];

  const create = useMutation({
    ...vehicleMutations.create(),
    onSuccess: (vehicle) => {
      toast({ title: 'Vehicle Added', description: `${vehicleName(vehicle)} is saved.` });
      setForm(emptyVehicleForm(new Date()));
      setMessage(null);
      setChecked(false);
      onClose();
    },
    onError: (error) => {
      if (isSignedOut(error)) onSignedOut();
      else setMessage(sentenceOf(error, 'Failed to add vehicle. Please try again.'));
    },
  });

  const bind = (name: keyof VehicleForm) => ({
    name,
    value: form[name],
    'aria-invalid': invalid.includes(name),
    onChange: (event: ChangeEvent<HTMLInputElement | HTMLSelectElement>) => {
      const { value } = event.target;
      setForm({ ...form, [name]: name === 'vinNumber' ? typedVin(value) : value });
    },
  });

  return (
    <Dialog
      open={open}
      onClose={onClose}
      title="Add Vehicle"
      description="Make, model and year are enough. The rest helps to find the exact part."
      className="max-w-lg"
      footer={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form={formId} look="primary" disabled={create.isPending}>
            {create.isPending ? 'Saving...' : 'Add Vehicle'}
          </Button>
        </>
      }
    >
      <form
        id={formId}
        noValidate
        aria-label="Add vehicle"
        className="grid grid-cols-2 gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          const parsed = parseVehicleForm(form);
          flushSync(() => {
            setMessage(parsed.ok ? null : parsed.message);
            setChecked(true);
          });
          if (parsed.ok) create.mutate(parsed.vehicle);
          else focusFirstInvalid(event.currentTarget);
        }}
      >
        {message !== null && (
          <p role="alert" className="col-span-2 rounded-md bg-bad-wash px-3 py-2 text-sm text-bad">
            {message}
          </p>
        )}
        <Field label="Make" placeholder="Honda" autoComplete="off" required {...bind('make')} />
        <Field label="Model" placeholder="Civic" autoComplete="off" required {...bind('model')} />
        <Field label="Year" inputMode="numeric" maxLength={4} required {...bind('year')} />
        <Field label="Engine" placeholder="2.0 L" autoComplete="off" {...bind('engine')} />
        <TransmissionField {...bind('transmission')} />
        <Field label="License plate" autoComplete="off" {...bind('licensePlate')} />
        <Field
          label="VIN"
          className="col-span-2"
          hint="17 characters, on the dashboard behind the windshield or on the door jamb."
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          maxLength={VIN_MAX_LENGTH}
          {...bind('vinNumber')}
        />
      </form>
    </Dialog>
  );
}

type TransmissionFieldProps = {
  value: string;
  onChange: (event: ChangeEvent<HTMLSelectElement>) => void;
};

function TransmissionField({ value, onChange }: TransmissionFieldProps) {
  const id = useId();
  return (
    <div className="grid content-start gap-1.5">
      <label htmlFor={id} className="text-sm font-medium">
        Transmission
      </label>
      <select id={id} value={value} onChange={onChange} className={CONTROL_CLASS}>
        <option value="">Not given</option>
        {TRANSMISSIONS.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </div>
  );
}
