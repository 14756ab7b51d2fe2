import { forgetKeptWork } from '@/lib/kept-work';
import { loadAnew } from '@/lib/load-anew';

/** Who was here last, since the page was loaded. */
let lastId: string | null = null;

/**
 * Keeps apart the people who sign in in one browser: forgets what forms kept for anybody else, and loads the page anew
 * where another person was here. All tabs share the cookie, and only the tab in which somebody signs in knows of it; the
 * screens of the others hold what the person before read, typed and still sends.
 */
export async function personCame(userId: string): Promise<void> {
  const isAnother = lastId !== null && lastId !== userId;
  lastId = userId;
  try {
    await forgetKeptWork(userId);
  } finally {
    // Also where the browser's storage fails: what is on screen is another's all the same.
    if (isAnother) loadAnew();
  }
}
