import { bodyOf, client } from '@/api/client';
import { uploadFields, type PriceListForm } from '@/features/parts/price-lists/model';

export type PriceListUpload = {
  form: PriceListForm;
  mapping: Record<string, string>;
  file: File;
  dryRun: boolean;
  skipErrors: boolean;
};

export const priceListMutations = {
  upload: ({ form, mapping, file, dryRun, skipErrors }: PriceListUpload) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(uploadFields(form, mapping))) {
      body.append(name, value);
    }
    body.append('dryRun', String(dryRun));
    body.append('skipErrors', String(skipErrors));
    // The server reads the file while it arrives, so everything else comes before it.
    body.append('file', file, file.name);
    return bodyOf(
      client.POST('/api/price-lists', {
        // OpenAPI has no type for a file; what travels is the form built above.
        body: { supplier: form.supplier, file: file.name, dryRun, skipErrors },
        bodySerializer: () => body,
      }),
    );
  },
  remove: (id: string) => client.DELETE('/api/price-lists/{id}', { params: { path: { id } } }),
  restore: (id: string) =>
    client.POST('/api/price-lists/{id}/restore', { params: { path: { id } } }),
};
