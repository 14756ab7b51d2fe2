import { Download } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { SelectField } from '@/components/ui/select-field';
import { VehicleSelect } from '@/components/vehicle-select';
import {
  EXPORT_FORMATS,
  exportHref,
  KINDS,
  type ExportFormat,
  type Kind,
} from '@/features/garage/records-csv/model';

type ExportButtonsProps = { vehicles: Schemas['Vehicle'][] };

/** The records as files, in the columns of the program that is to read them. */
export function ExportButtons({ vehicles }: ExportButtonsProps) {
  const [format, setFormat] = useState<ExportFormat>('partsight');
  const [chosen, setChosen] = useState<string | null>(null);
  const fallback = vehicles.find(({ isDefault }) => isDefault) ?? vehicles[0];
  // The chosen one may be deleted meanwhile.
  const vehicle = vehicles.find(({ id }) => id === chosen) ?? fallback;
  const kinds: readonly Kind[] =
    EXPORT_FORMATS.find((other) => other.format === format)?.kinds ?? [];
  return (
    <div className="grid gap-4">
      {vehicle !== undefined && (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Export for"
            value={format}
            onChange={(event) => {
              const next = EXPORT_FORMATS.find((other) => other.format === event.target.value);
              setFormat(next?.format ?? format);
            }}
          >
            {EXPORT_FORMATS.map((other) => (
              <option key={other.format} value={other.format}>
                {other.label}
              </option>
            ))}
          </SelectField>
          {format === 'lubelogger' && (
            <VehicleSelect
              vehicles={vehicles}
              label="Records of"
              value={vehicle.id}
              onChange={(event) => setChosen(event.target.value)}
            />
          )}
        </div>
      )}
      <div className="flex flex-wrap gap-2">
        {KINDS.filter(({ kind }) => kinds.includes(kind)).map(({ kind, label }) => (
          <Button key={kind} asChild size="small">
            <a href={exportHref(kind, format, vehicle?.id ?? '')} download>
              <Download className="size-4" aria-hidden />
              <span className="sr-only">Export </span>
              {label}
            </a>
          </Button>
        ))}
      </div>
    </div>
  );
}
