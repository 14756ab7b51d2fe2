import { Search } from 'lucide-react';
import { useEffect, useState } from 'react';
import type { Schemas } from '@/api/client';
import { CATEGORIES, categoryName } from '@/api/part-category';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { VehicleSelect } from '@/components/vehicle-select';
import type { HistoryFilter } from '@/features/scanning/history/queries';

/** Pause in typing after which the search begins, in ms. */
const TYPING_PAUSE_MS = 300;
/** The longest text that the server searches for, in characters. */
const SEARCH_MAX_LENGTH = 100;

type HistoryFiltersProps = {
  filter: HistoryFilter;
  vehicles: Schemas['Vehicle'][];
  onChange: (changes: Partial<HistoryFilter>) => void;
};

/** What narrows the history: words, a vehicle, a category. */
export function HistoryFilters({ filter, vehicles, onChange }: HistoryFiltersProps) {
  const [typed, setTyped] = useState(filter.search);
  const [sent, setSent] = useState(filter.search);
  const [known, setKnown] = useState(filter.search);
  // The address changed: by what was typed here, or from outside, which the field then follows.
  if (known !== filter.search) {
    setKnown(filter.search);
    if (filter.search !== sent) {
      setSent(filter.search);
      setTyped(filter.search);
    }
  }
  useEffect(() => {
    if (typed.trim() === sent) return;
    const pause = setTimeout(() => {
      setSent(typed.trim());
      onChange({ search: typed.trim() });
    }, TYPING_PAUSE_MS);
    return () => clearTimeout(pause);
  }, [typed, sent, onChange]);
  return (
    <search className="grid grid-cols-1 gap-3 min-[26rem]:grid-cols-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">
      <Field
        type="search"
        label="Search scans"
        placeholder="Part or vehicle"
        autoComplete="off"
        maxLength={SEARCH_MAX_LENGTH}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        className="min-[26rem]:max-sm:col-span-2"
        trailing={
          <Search
            className="pointer-events-none absolute top-3.5 right-3 size-4 text-muted"
            aria-hidden
          />
        }
      />
      <VehicleSelect
        vehicles={vehicles}
        none="All vehicles"
        label="Vehicle"
        value={filter.vehicleId ?? ''}
        onChange={(event) =>
          onChange({ vehicleId: event.target.value === '' ? null : event.target.value })
        }
      />
      <SelectField
        label="Category"
        value={filter.category ?? ''}
        onChange={(event) =>
          onChange({ category: CATEGORIES.find((one) => one === event.target.value) ?? null })
        }
      >
        <option value="">All categories</option>
        {CATEGORIES.map((category) => (
          <option key={category} value={category}>
            {categoryName(category)}
          </option>
        ))}
      </SelectField>
    </search>
  );
}
