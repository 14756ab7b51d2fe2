import { Search } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { CATEGORIES, categoryName } from '@/api/part-category';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { VehicleSelect } from '@/components/vehicle-select';
import type { HistoryFilter } from '@/features/scanning/history/queries';
import { useAddressText } from '@/hooks/use-address-text';

/** The longest text that the server searches for, in characters. */
const SEARCH_MAX_LENGTH = 100;

type HistoryFiltersProps = {
  filter: HistoryFilter;
  vehicles: Schemas['Vehicle'][];
  onChange: (changes: Partial<HistoryFilter>) => void;
};

/** What narrows the history: words, a vehicle, a category. */
export function HistoryFilters({ filter, vehicles, onChange }: HistoryFiltersProps) {
  // The words of the filter are those in the address.
  const [search, setSearch] = useAddressText('q');
  return (
    <search className="grid grid-cols-1 gap-3 min-[26rem]:grid-cols-2 sm:grid-cols-[minmax(0,2fr)_minmax(0,1fr)_minmax(0,1fr)]">
      <Field
        type="search"
        label="Search scans"
        placeholder="Part or vehicle"
        autoComplete="off"
        maxLength={SEARCH_MAX_LENGTH}
        value={search}
        onChange={(event) => setSearch(event.target.value)}
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
