import { bodyOf, client, type Schemas } from '@/api/client';
import type { Photo } from '@/lib/photos/photo';

export type Lesson = {
  /** The part that the photos show: a new one, or the id of one that is there. */
  part: { name: string; category: Schemas['PartCategory'] } | { id: string };
  /** The part of the shop that the photos show; null for none in particular. */
  shopPartId: string | null;
  photos: Photo[];
  /** Whether to keep photos that look more like another part, and mark the two as look-alikes. */
  acceptCollision: boolean;
};

export const catalogMutations = {
  teach: ({ part, shopPartId, photos, acceptCollision }: Lesson) => {
    const form = new FormData();
    for (const { blob, name } of photos) form.append('image', blob, name);
    form.append('acceptCollision', String(acceptCollision));
    // OpenAPI has no type for a file; what travels is the form built here.
    const image = photos.map(({ name }) => name);
    const bodySerializer = () => form;
    if ('id' in part) {
      if (shopPartId !== null) form.append('partId', shopPartId);
      return bodyOf(
        client.POST('/api/catalog/types/{id}/references', {
          params: { path: { id: part.id } },
          body: { image, acceptCollision, partId: shopPartId },
          bodySerializer,
        }),
      );
    }
    form.append('name', part.name);
    form.append('category', part.category);
    const body = { ...part, image, acceptCollision };
    return bodyOf(client.POST('/api/catalog/types', { body, bodySerializer }));
  },
  unmarkLookAlike: ({ id, other }: { id: string; other: string }) =>
    client.DELETE('/api/catalog/types/{id}/look-alikes/{other}', {
      params: { path: { id, other } },
    }),
  /** Saves what `edit` makes of a part as it is now: the server takes the name and the category together only. */
  changeType:
    (id: string) =>
    async (edit: (saved: Schemas['TaughtPartType']) => Schemas['PartTypeChange']) => {
      const params = { path: { id } };
      const saved = await bodyOf(client.GET('/api/catalog/types/{id}', { params }));
      return bodyOf(client.PUT('/api/catalog/types/{id}', { params, body: edit(saved) }));
    },
  deleteType: (id: string) =>
    client.DELETE('/api/catalog/types/{id}', { params: { path: { id } } }),
  restoreType: (id: string) =>
    bodyOf(client.POST('/api/catalog/types/{id}/restore', { params: { path: { id } } })),
  deleteReference: (id: string) =>
    client.DELETE('/api/catalog/references/{id}', { params: { path: { id } } }),
  restoreReference: (id: string) =>
    client.POST('/api/catalog/references/{id}/restore', { params: { path: { id } } }),
};
