import { bodyOf, client } from '@/api/client';
import { uploadFields, type CrossReferenceForm } from '@/features/parts/cross-references/model';

export type CrossReferenceUpload = {
  form: CrossReferenceForm;
  mapping: Record<string, string>;
  file: File;
  dryRun: boolean;
  skipErrors: boolean;
};

export const crossReferenceMutations = {
  upload: ({ form, mapping, file, dryRun, skipErrors }: CrossReferenceUpload) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(uploadFields(form, mapping))) {
      body.append(name, value);
    }
    body.append('dryRun', String(dryRun));
    body.append('skipErrors', String(skipErrors));
    // The server reads the file while it arrives, so everything else comes before it.
    body.append('file', file, file.name);
    return bodyOf(
      client.POST('/api/cross-references', {
        // OpenAPI has no type for a file; what travels is the form built above.
        body: { name: form.name, file: file.name, dryRun, skipErrors },
        bodySerializer: () => body,
      }),
    );
  },
  remove: (id: string) => client.DELETE('/api/cross-references/{id}', { params: { path: { id } } }),
  restore: (id: string) =>
    client.POST('/api/cross-references/{id}/restore', { params: { path: { id } } }),
};
