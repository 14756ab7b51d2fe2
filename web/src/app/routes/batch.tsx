import { useParams } from 'react-router';
import { SignedInPage } from '@/app/routes/signed-in-page';
import { BackLink } from '@/components/back-link';
import { Logbook } from '@/components/pictures';
import { paths } from '@/config/paths';
import { BatchPanel } from '@/features/batches/components/batch-panel';

/** One batch of photos. */
export function BatchRoute() {
  const { id = '' } = useParams();
  return (
    <SignedInPage
      title="Batch"
      back={<BackLink to={paths.batches}>All batches</BackLink>}
      label="Loading the batch"
      signIn="Sign in to scan many photos at once."
      picture={<Logbook />}
    >
      {() => <BatchPanel key={id} id={id} />}
    </SignedInPage>
  );
}
