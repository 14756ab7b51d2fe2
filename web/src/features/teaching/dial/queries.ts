import { client } from '@/api/client';
import { readQuery } from '@/api/read-query';

/** How many wrong answers the signed-in user, or the company, accepts; null for a visitor. */
export const dialQuery = () => readQuery(['dial'], (signal) => client.GET('/api/dial', { signal }));
