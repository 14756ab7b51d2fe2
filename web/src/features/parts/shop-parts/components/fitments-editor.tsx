import { Plus, Trash2 } from 'lucide-react';
import { useRef } from 'react';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { EMPTY_FITMENT, type FitmentForm } from '@/features/parts/shop-parts/model';
import { countOf } from '@/lib/format';

/** Lines that the server takes. */
const MAX_FITMENTS = 500;

type FitmentsEditorProps = {
  fitments: FitmentForm[];
  onChange: (fitments: FitmentForm[]) => void;
};

/** The vehicles that a part fits, and those that it is known not to fit. */
export function FitmentsEditor({ fitments, onChange }: FitmentsEditorProps) {
  const add = useRef<HTMLButtonElement>(null);
  return (
    <fieldset className="col-span-2 grid min-w-0 gap-3">
      <legend className="mb-2 text-sm font-medium">
        Fitments{' '}
        <span className="font-normal text-muted">
          {fitments.length === 0 ? '(none)' : `(${countOf(fitments.length, 'line')})`}
        </span>
      </legend>
      {fitments.map((fitment, index) => (
        <FitmentLine
          key={index}
          number={index + 1}
          fitment={fitment}
          onChange={(change) =>
            onChange(fitments.map((old, at) => (at === index ? { ...old, ...change } : old)))
          }
          onRemove={() => {
            onChange(fitments.filter((_, at) => at !== index));
            // The line goes, and with it the button that has the focus.
            add.current?.focus();
          }}
        />
      ))}
      <Button
        ref={add}
        size="small"
        disabled={fitments.length >= MAX_FITMENTS}
        onClick={() => onChange([...fitments, EMPTY_FITMENT])}
        className="justify-self-start"
      >
        <Plus className="size-4" aria-hidden />
        Add Vehicles
      </Button>
    </fieldset>
  );
}

type FitmentLineProps = {
  number: number;
  fitment: FitmentForm;
  onChange: (change: Partial<FitmentForm>) => void;
  onRemove: () => void;
};

function FitmentLine({ number, fitment, onChange, onRemove }: FitmentLineProps) {
  const bind = (name: Exclude<keyof FitmentForm, 'fits'>) => ({
    value: fitment[name],
    onChange: (event: { target: { value: string } }) => onChange({ [name]: event.target.value }),
  });
  return (
    <div
      role="group"
      aria-label={`Fitment ${number}`}
      className="grid grid-cols-2 gap-3 rounded-md border bg-canvas/40 p-3"
    >
      <Field label="Make" required autoComplete="off" maxLength={80} {...bind('make')} />
      <Field
        label="Model"
        placeholder="All models"
        autoComplete="off"
        maxLength={80}
        {...bind('model')}
      />
      <Field
        label="From year"
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
        {...bind('yearFrom')}
      />
      <Field
        label="To year"
        inputMode="numeric"
        autoComplete="off"
        maxLength={4}
        {...bind('yearTo')}
      />
      <Field
        label="Note"
        placeholder="1.8 engine only"
        autoComplete="off"
        maxLength={200}
        className="col-span-2"
        {...bind('note')}
      />
      <SelectField
        label="The part"
        value={fitment.fits ? 'fits' : 'not'}
        onChange={(event) => onChange({ fits: event.target.value === 'fits' })}
      >
        <option value="fits">fits</option>
        <option value="not">does not fit</option>
      </SelectField>
      <Button
        look="ghost"
        size="small"
        aria-label={`Remove fitment ${number}`}
        onClick={onRemove}
        className="self-end justify-self-end"
      >
        <Trash2 className="size-4" aria-hidden />
        Remove
      </Button>
    </div>
  );
}
