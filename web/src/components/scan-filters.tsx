import { Download, Search } from 'lucide-react';
import type { Schemas } from '@/api/client';
import { CATEGORIES, categoryName } from '@/api/part-category';
import { Button } from '@/components/ui/button';
import { Field } from '@/components/ui/field';
import { SelectField } from '@/components/ui/select-field';

/** The longest text that the server searches for, in characters. */
const SEARCH_MAX_LENGTH = 100;

type ScanSearchProps = { value: string; onChange: (text: string) => void; className?: string };

/** Words that narrow a list of scans. */
export function ScanSearch({ value, onChange, className }: ScanSearchProps) {
  return (
    <Field
      type="search"
      label="Search scans"
      placeholder="Part or vehicle"
      autoComplete="off"
      maxLength={SEARCH_MAX_LENGTH}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className={className}
      trailing={
        <Search
          className="pointer-events-none absolute top-3.5 right-3 size-4 text-muted"
          aria-hidden
        />
      }
    />
  );
}

type Category = Schemas['PartCategory'] | null;

type CategoryFilterProps = { value: Category; onChange: (category: Category) => void };

/** The category that a list of scans is narrowed to; null for all. */
export function CategoryFilter({ value, onChange }: CategoryFilterProps) {
  return (
    <SelectField
      label="Category"
      value={value ?? ''}
      onChange={({ target }) => onChange(CATEGORIES.find((one) => one === target.value) ?? null)}
    >
      <option value="">All categories</option>
      {CATEGORIES.map((category) => (
        <option key={category} value={category}>
          {categoryName(category)}
        </option>
      ))}
    </SelectField>
  );
}

/** Saves all scans as a table, whatever a list of them is narrowed to. */
export function ScansExport() {
  return (
    <Button asChild look="ghost" size="small">
      <a href="/api/export/scans.csv" download>
        <Download className="size-4" aria-hidden />
        Export All as CSV
      </a>
    </Button>
  );
}
