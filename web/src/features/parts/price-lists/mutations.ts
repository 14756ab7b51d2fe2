import { bodyOf, client } from '@/api/client';
import { listBody, type ListUpload } from '@/features/parts/list-upload/form-data';
import type { PriceListForm } from '@/features/parts/price-lists/model';

export const priceListMutations = {
  upload: (list: ListUpload<PriceListForm>) => {
    const { form, file, dryRun, skipErrors } = list;
    return bodyOf(
      client.POST('/api/price-lists', {
        // OpenAPI has no type for a file; what travels is the body of `listBody`.
        body: { supplier: form.supplier, file: file.name, dryRun, skipErrors },
        bodySerializer: () => listBody(list),
      }),
    );
  },
  remove: (id: string) => client.DELETE('/api/price-lists/{id}', { params: { path: { id } } }),
  restore: (id: string) =>
    client.POST('/api/price-lists/{id}/restore', { params: { path: { id } } }),
};
