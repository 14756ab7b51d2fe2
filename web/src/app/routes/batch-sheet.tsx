import { useParams } from 'react-router';
import { BackLink } from '@/components/back-link';
import { Logbook } from '@/components/pictures';
import { SignInRequired } from '@/components/sign-in-required';
import { batchHref } from '@/config/paths';
import { SignedIn } from '@/features/accounts/auth/components/signed-in';
import { ReturnSheet } from '@/features/batches/components/return-sheet';

/** A batch as a sheet of paper. */
export function BatchSheetRoute() {
  const { id = '' } = useParams();
  return (
    <div className="page grid grid-cols-1 gap-5">
      <title>Partsight - Return Sheet</title>
      <BackLink to={batchHref(id)} className="print:hidden">
        Back to the batch
      </BackLink>
      <h1 className="page-title">Return Sheet</h1>
      <SignedIn
        label="Loading the batch"
        visitor={
          <SignInRequired picture={<Logbook />}>Sign in to see your batches.</SignInRequired>
        }
      >
        {() => <ReturnSheet key={id} id={id} />}
      </SignedIn>
    </div>
  );
}
