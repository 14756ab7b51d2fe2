import { FileUp } from 'lucide-react';
import { Suspense } from 'react';
import type { Schemas } from '@/api/client';
import { ErrorBoundary } from '@/components/error-boundary';
import { lazyComponent } from '@/components/lazy-component';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ExportButtons } from '@/features/garage/records-csv/components/export-buttons';
import { IMPORT_DRAFT } from '@/features/garage/records-csv/model';
import { useDialog } from '@/hooks/use-dialog';
import { useHasDraft } from '@/hooks/use-draft';

// Most visits never import anything.
const ImportRecordsDialog = lazyComponent(
  async () =>
    (await import('@/features/garage/records-csv/components/import-dialog')).ImportRecordsDialog,
);

type CsvPanelProps = { vehicles: Schemas['Vehicle'][] };

/** The records as files, in and out. */
export function CsvPanel({ vehicles }: CsvPanelProps) {
  const drafted = useHasDraft(IMPORT_DRAFT);
  const importing = useDialog(drafted);
  return (
    <Card aria-labelledby="csv-title" className="grid content-start gap-4">
      <h2 id="csv-title" className="section-title">
        Import and Export
      </h2>
      <p className="text-sm text-soft">
        Spreadsheet files (CSV). Files of LubeLogger and Fuelly can be imported as they are, and
        written for them.
      </p>
      <ExportButtons vehicles={vehicles} />
      <Button onClick={importing.show} className="justify-self-start">
        <FileUp className="size-4" aria-hidden />
        Import a File
      </Button>
      {importing.turn > 0 && (
        <ErrorBoundary what="The import">
          <Suspense fallback={null}>
            <ImportRecordsDialog key={importing.turn} vehicles={vehicles} {...importing.props} />
          </Suspense>
        </ErrorBoundary>
      )}
    </Card>
  );
}
