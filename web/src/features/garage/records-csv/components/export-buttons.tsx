import { Download } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '@/api/client';
import { Button } from '@/components/ui/button';
import { SelectField } from '@/components/ui/select-field';
import { VehicleSelect } from '@/components/vehicle-select';
import {
  EXPORT_FORMATS,
  EXPORTED_KINDS,
  exportHref,
  KINDS,
  type ExportFormat,
} from '@/features/garage/records-csv/model';

type ExportButtonsProps = { vehicles: Schemas['Vehicle'][] };

/** The records as files, in the columns of the program that is to read them. */
export function ExportButtons({ vehicles }: ExportButtonsProps) {
  const [format, setFormat] = useState<ExportFormat>('partsight');
  const [chosen, setChosen] = useState<string | null>(null);
  const fallback = vehicles.find(({ isDefault }) => isDefault) ?? vehicles[0];
  // The chosen one may be deleted meanwhile.
  const vehicle = vehicles.find(({ id }) => id === chosen) ?? fallback;
  return (
    <div className="grid gap-4">
      {vehicle !== undefined && (
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label="Export for"
            value={format}
            options={EXPORT_FORMATS}
            onChange={(event) => setFormat(event.target.value as ExportFormat)}
          />
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
        {EXPORTED_KINDS[format].map((kind) => (
          <Button key={kind} asChild size="small">
            <a href={exportHref(kind, format, vehicle?.id ?? '')} download>
              <Download className="size-4" aria-hidden />
              <span className="sr-only">Export </span>
              {KINDS[kind]}
            </a>
          </Button>
        ))}
      </div>
    </div>
  );
}
