import { forgetFiles } from '@/lib/draft-files';
import { forgetDrafts } from '@/lib/drafts';
import { forgetReturnPath } from '@/lib/return-path';

/**
 * Forgets what forms kept in this browser for everybody but `userId`, who is signed in; without one, somebody signed
 * out, and all of it goes.
 */
export async function forgetKeptWork(userId: string | null): Promise<void> {
  forgetReturnPath();
  forgetDrafts(userId);
  await forgetFiles(userId);
}
