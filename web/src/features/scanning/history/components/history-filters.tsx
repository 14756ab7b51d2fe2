import type { Schemas } from '@/api/client';
import { CategoryFilter, ScanSearch } from '@/components/scan-filters';
import { VehicleSelect } from '@/components/vehicle-select';
import type { HistoryFilter } from '@/features/scanning/history/queries';
import { useAddressText } from '@/hooks/use-address-text';

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
      <ScanSearch value={search} onChange={setSearch} className="min-[26rem]:max-sm:col-span-2" />
      <VehicleSelect
        vehicles={vehicles}
        none="All vehicles"
        label="Vehicle"
        value={filter.vehicleId ?? ''}
        onChange={(event) =>
          onChange({ vehicleId: event.target.value === '' ? null : event.target.value })
        }
      />
      <CategoryFilter value={filter.category} onChange={(category) => onChange({ category })} />
    </search>
  );
}
