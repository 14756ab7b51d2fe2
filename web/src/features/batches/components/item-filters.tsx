import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';
import { STATES } from '@/features/batches/model';
import type { ItemFilter } from '@/features/batches/queries';

type ItemFiltersProps = {
  filter: ItemFilter;
  /** The part types to choose from, by label, each in words. */
  types: Map<string, string>;
  onChange: (part: Partial<ItemFilter>) => void;
};

/** Which photos of a batch are shown, in which order. */
export function ItemFilters({ filter, types, onChange }: ItemFiltersProps) {
  return (
    <div className="filter-columns gap-3 sm:grid-cols-3 lg:grid-cols-6">
      <SelectField
        label="Order"
        value={filter.sort}
        onChange={({ target }) => onChange({ sort: target.value === 'sent' ? 'sent' : 'doubt' })}
        options={{ doubt: 'By doubt', sent: 'As sent' }}
      />
      <SelectField
        label="State"
        value={filter.state}
        onChange={({ target }) => onChange({ state: target.value })}
        options={{ '': 'All', ...STATES }}
      />
      <SelectField
        label="Answer"
        value={filter.verdict}
        onChange={({ target }) => onChange({ verdict: target.value })}
        options={{ '': 'All', identified: 'Identified', 'not-sure': 'Not sure' }}
      />
      <SelectField
        label="Part"
        value={filter.type}
        onChange={({ target }) => onChange({ type: target.value })}
        options={types}
      >
        <option value="">All</option>
      </SelectField>
      <Field
        label="Number"
        type="search"
        placeholder="06A 105"
        maxLength={60}
        autoComplete="off"
        value={filter.number}
        onChange={({ target }) => onChange({ number: target.value })}
      />
      <SelectField
        label="Show"
        value={filter.discarded ? 'discarded' : 'kept'}
        onChange={({ target }) => onChange({ discarded: target.value === 'discarded' })}
        options={{ kept: 'The list', discarded: 'Discarded' }}
      />
    </div>
  );
}
