import { bodyOf, client } from '@/api/client';

const path = (id: string) => ({ params: { path: { id } } });

export const evaluationMutations = {
  cancel: (id: string) => bodyOf(client.POST('/api/evaluations/{id}/cancel', path(id))),
  remove: (id: string) => client.DELETE('/api/evaluations/{id}', path(id)),
  /** Asks for one on a folder of the server. */
  ofFolder: (folder: string) =>
    bodyOf(client.POST('/api/evaluations/folder', { body: { path: folder } })),
};

/** Asks for one on the photos of a zip. */
export function evaluateZip(zip: File, signal: AbortSignal) {
  const body = new FormData();
  body.append('zip', zip, zip.name);
  return bodyOf(
    client.POST('/api/evaluations', {
      // OpenAPI has no type for a file; what travels is the form built above.
      body: { zip: zip.name },
      bodySerializer: () => body,
      signal,
    }),
  );
}
