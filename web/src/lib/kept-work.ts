import { forgetFiles } from '@/lib/draft-files';
import { forgetDrafts } from '@/lib/drafts';
import { forgetOldReturnPath, forgetReturnPath } from '@/lib/return-path';

/**
 * Forgets what forms kept in this browser for everybody but `userId`, who is signed in; without one, somebody signed
 * out, and all of it goes.
 */
export async function forgetKeptWork(userId: string | null): Promise<void> {
  if (userId === null) forgetReturnPath();
  // Who is signed in is noted some time after the page is loaded; their session may have ended by then.
  else forgetOldReturnPath();
  forgetDrafts(userId);
  await forgetFiles(userId);
}
