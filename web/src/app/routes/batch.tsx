import { useParams } from 'react-router';
import { BackLink } from '@/components/back-link';
import { Logbook } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { paths } from '@/config/paths';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { BatchPanel } from '@/features/batches/components/batch-panel';

/** One batch of photos. */
export function BatchRoute() {
  const { id = '' } = useParams();
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Batch</title>
      <BackLink to={paths.batches}>All batches</BackLink>
      <h1 className="page-title">Batch</h1>
      <SignedIn
        label="Loading the batch"
        visitor={
          <SignInRequired picture={<Logbook />}>
            Sign in to scan many photos at once.
          </SignInRequired>
        }
      >
        {() => <BatchPanel key={id} id={id} />}
      </SignedIn>
    </div>
  );
}
