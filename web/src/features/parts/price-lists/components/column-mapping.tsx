import { SelectField } from '@/components/ui/select-field';
import { COLUMNS } from '@/features/parts/list-upload/field-names';

/** Stands for a column as the server recognises it by its name. */
const RECOGNISED = '\u0000';

type ColumnMappingProps = {
  /** What the columns can hold, each with its name for people. */
  fields: [field: string, name: string][];
  headers: string[];
  mapping: Record<string, string>;
  onChange: (mapping: Record<string, string>) => void;
};

/** Which column holds what, where the name of the column does not say it. */
export function ColumnMapping({ fields, headers, mapping, onChange }: ColumnMappingProps) {
  return (
    <details className="rounded-md border p-3">
      <summary className="cursor-pointer text-sm font-medium">{COLUMNS}</summary>
      <p className="mt-2 text-sm text-muted">
        Columns are recognised by their names. Choose one where that goes wrong.
      </p>
      <div className="mt-3 grid grid-cols-2 gap-3">
        {fields.map(([field, name]) => (
          <SelectField
            key={field}
            label={name}
            value={mapping[field] ?? RECOGNISED}
            onChange={({ target }) => {
              const others = Object.entries(mapping).filter(([other]) => other !== field);
              const own = target.value === RECOGNISED ? [] : [[field, target.value]];
              onChange(Object.fromEntries([...others, ...own]) as Record<string, string>);
            }}
          >
            <option value={RECOGNISED}>By name</option>
            <option value="">Leave out</option>
            {headers.map((header) => (
              <option key={header} value={header}>
                {header}
              </option>
            ))}
          </SelectField>
        ))}
      </div>
    </details>
  );
}
