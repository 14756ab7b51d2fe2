import { bodyOf, client, type Schemas } from '@/api/client';
import { isXml } from '@/features/parts/shop-parts/model';

type PartsImport = {
  file: File;
  /** The part type of the rows that name none. */
  label: string | null;
  /** Only says what an import would do. */
  dryRun: boolean;
};

export const shopPartMutations = {
  /** Saves a new part, or with an id replaces what that one says. */
  save: (id: string | null) => (body: Schemas['NewShopPart']) =>
    id === null
      ? bodyOf(client.POST('/api/catalog/parts', { body }))
      : bodyOf(client.PUT('/api/catalog/parts/{id}', { params: { path: { id } }, body })),
  remove: (id: string) => client.DELETE('/api/catalog/parts/{id}', { params: { path: { id } } }),
  restore: (id: string) =>
    bodyOf(client.POST('/api/catalog/parts/{id}/restore', { params: { path: { id } } })),
  import: ({ file, label, dryRun }: PartsImport) =>
    bodyOf(
      client.POST('/api/catalog/parts/import', {
        params: { query: { dryRun, ...(label !== null && { label }) } },
        body: file.name,
        // What travels is the file itself.
        bodySerializer: () => file,
        headers: { 'content-type': isXml(file) ? 'application/xml' : 'text/csv' },
      }),
    ),
};
