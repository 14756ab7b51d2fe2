import { useState } from 'react';
import { findServer } from '@/api/health';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { useToast } from '@/components/ui/use-toast';
import { serverPaths } from '@/config/paths';
import { endPush } from '@/features/garage/push/mutations';
import { forgetOwner, listKept, removeAllWaiting } from '@/features/scanning/offline-queue/store';
import { countPhotos } from '@/features/scanning/offline-queue/waiting-scan';
import { leaveFor } from '@/hooks/use-sign-in-redirect';
import { countOf } from '@/lib/format';
import { forgetKeptWork } from '@/lib/kept-work';

type SignOutButtonProps = { userId: string };

/** Signs out; with photos that were not sent yet it asks first what becomes of them. */
export function SignOutButton({ userId }: SignOutButtonProps) {
  const [leaving, setLeaving] = useState(false);
  const [waiting, setWaiting] = useState(0);
  const toast = useToast();

  const leave = async (isDeleting = false) => {
    setWaiting(0);
    setLeaving(true);
    try {
      // Only the server ends the session: until it can, nothing of the person may go.
      await findServer();
    } catch {
      setLeaving(false);
      const description = 'Signing out needs the server. Try again once it can be reached.';
      toast({ title: 'You are still signed in', description, tone: 'bad' });
      return;
    }
    if (isDeleting) await removeAllWaiting(userId).catch(() => undefined);
    await forgetKeptWork(null);
    // A browser without storage keeps nothing that could stay behind.
    await forgetOwner().catch(() => undefined);
    // The server ends what it knows with the session; this is for the browser's own part, and may fail.
    await endPush().catch(() => undefined);
    leaveFor(serverPaths.signOut);
  };
  const ask = async () => {
    const scans = await listKept(userId).catch(() => []);
    if (scans.length === 0) await leave();
    else setWaiting(countPhotos(scans));
  };

  return (
    <>
      <Button disabled={leaving} onClick={() => void ask()}>
        {leaving ? 'Signing out...' : 'Sign Out'}
      </Button>
      <Dialog
        open={waiting > 0}
        onClose={() => setWaiting(0)}
        title={`${countOf(waiting, 'photo')} not sent yet`}
        description="Kept photos stay in this browser. Nobody else sees them in the app, and they are sent once you sign in here again."
        footer={
          <>
            <Button look="danger" onClick={() => void leave(true)}>
              Delete and Sign Out
            </Button>
            <Button look="primary" onClick={() => void leave()}>
              Keep and Sign Out
            </Button>
          </>
        }
      />
    </>
  );
}
