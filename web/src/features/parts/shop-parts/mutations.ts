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
  create: (body: Schemas['NewShopPart'], key: string) =>
    bodyOf(
      client.POST('/api/catalog/parts', { params: { header: { 'Idempotency-Key': key } }, body }),
    ),
  /**
   * Saves what `edit` makes of a part as it is now. The server takes whole parts only, so that somebody else's edit
   * between the reading and the writing is still lost: a moment, and no longer the time that a form is open.
   */
  update: (id: string) => async (edit: (saved: Schemas['ShopPart']) => Schemas['NewShopPart']) => {
    const params = { path: { id } };
    const saved = await bodyOf(client.GET('/api/catalog/parts/{id}', { params }));
    return bodyOf(client.PUT('/api/catalog/parts/{id}', { params, body: edit(saved) }));
  },
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
