import { client } from '@/api/client';
import { timeLimit } from '@/api/time-limit';

/** In ms; a server that is well answers at once. */
const HEALTH_MS = 8000;

/** Throws unless the server can be reached. */
export async function findServer(): Promise<void> {
  await client.GET('/health', { signal: timeLimit(HEALTH_MS) });
}
