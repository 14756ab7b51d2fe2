import { ApiError } from '@/api/api-error';
import { client } from '@/api/client';
import { subscribe, unsubscribe } from '@/features/garage/push/browser';

export const pushMutations = {
  /** Lets this browser have notifications, or ends them. */
  set: async ({ on, publicKey }: { on: boolean; publicKey: string }): Promise<void> => {
    if (on) await client.PUT('/api/reminders/push', { body: await subscribe(publicKey) });
    else await endPush();
  },
};

/** Ends the notifications in this browser: first where they appear, then at the server. */
export async function endPush(): Promise<void> {
  const id = await unsubscribe();
  if (id === null) return;
  try {
    await client.DELETE('/api/reminders/push/{id}', { params: { path: { id } } });
  } catch (error) {
    // The server has ended them before, or they were somebody else's in this browser.
    if (!(error instanceof ApiError && error.status === 404)) throw error;
  }
}
