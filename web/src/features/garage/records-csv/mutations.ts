import { bodyOf, client } from '@/api/client';
import type { DateOrder, Kind } from '@/features/garage/records-csv/model';

type ImportRequest = {
  kind: Kind;
  file: File;
  /** The vehicle of the rows that name none. */
  vehicleId: string | null;
  dateOrder: DateOrder | null;
  /** Only says what an import would do. */
  dryRun: boolean;
};

export const csvMutations = {
  import: ({ kind, file, vehicleId, dateOrder, dryRun }: ImportRequest) =>
    bodyOf(
      client.POST('/api/import/{kind}', {
        params: {
          path: { kind },
          query: {
            dryRun,
            ...(vehicleId !== null && { vehicleId }),
            ...(dateOrder !== null && { dateOrder }),
          },
        },
        body: file.name,
        // What travels is the file itself.
        bodySerializer: () => file,
        headers: { 'content-type': 'text/csv' },
      }),
    ),
};
