import { client } from '@/api/client';
import { bodyQuery } from '@/api/read-query';

/** One part type with its name and its photos, taught or shipped; several screens know its label alone. */
export const partTypeQuery = (label: string) =>
  bodyQuery(['part-type', { label }], (signal) =>
    client.GET('/api/catalog/types/{id}', { params: { path: { id: label } }, signal }),
  );
