import { bodyOf, client } from '@/api/client';
import type { CrossReferenceForm } from '@/features/parts/cross-references/model';
import { listBody, type ListUpload } from '@/features/parts/list-upload/form-data';

export const crossReferenceMutations = {
  upload: (list: ListUpload<CrossReferenceForm>) => {
    const { form, file, dryRun, skipErrors } = list;
    return bodyOf(
      client.POST('/api/cross-references', {
        // OpenAPI has no type for a file; what travels is the body of `listBody`.
        body: { name: form.name, file: file.name, dryRun, skipErrors },
        bodySerializer: () => listBody(list),
      }),
    );
  },
  remove: (id: string) => client.DELETE('/api/cross-references/{id}', { params: { path: { id } } }),
  restore: (id: string) =>
    client.POST('/api/cross-references/{id}/restore', { params: { path: { id } } }),
};
