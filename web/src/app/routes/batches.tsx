import { Logbook } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { BatchList } from '@/features/batches/components/batch-list';

/** Many photos at a time. */
export function BatchesRoute() {
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Batches</title>
      <header>
        <h1 className="page-title">Batches</h1>
        <p className="mt-1 max-w-xl text-soft">
          Photos of many parts as one job. Each answer is a scan of yours.
        </p>
      </header>
      <SignedIn
        label="Loading batches"
        visitor={
          <SignInRequired picture={<Logbook />}>
            Sign in to scan many photos at once.
          </SignInRequired>
        }
      >
        {() => <BatchList />}
      </SignedIn>
    </div>
  );
}
