import type { ReactNode } from 'react';
import type { Schemas } from '@/api/client';
import { Fact } from '@/components/fact';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { initials, planName } from '@/features/accounts/auth/model';
import { formatDate } from '@/lib/format';

type AccountCardProps = {
  user: Schemas['User'];
  /** The scans-remaining line comes from the allowance, which is another feature's. */
  scansRemaining: ReactNode;
  actions: ReactNode;
};

export function AccountCard({ user, scansRemaining, actions }: AccountCardProps) {
  const name = `${user.firstName} ${user.lastName}`.trim();
  return (
    <Card aria-label="Account" className="@container grid grid-cols-1 gap-5">
      <div className="flex flex-wrap items-center gap-4">
        <Avatar user={user} />
        <div className="min-w-0 flex-1 basis-[10rem]">
          <h1 className="text-xl wrap-anywhere font-semibold tracking-tight">
            {/* Accounts that a program made may have no name. */}
            {name === '' ? user.email : name}
          </h1>
          {name !== '' && <p className="wrap-anywhere text-soft">{user.email}</p>}
        </div>
        <Badge tone={user.planType === 'basic' ? 'outline' : 'primary'}>
          {planName(user)} plan
        </Badge>
      </div>
      <dl className="grid gap-px overflow-hidden rounded-md border bg-line @[15.5rem]:grid-cols-2 @[36rem]:grid-cols-3">
        <Fact term="Monthly scans">{scansRemaining}</Fact>
        <Fact term="Member since">{formatDate(user.createdAt)}</Fact>
        <Fact term="User ID" className="@[15.5rem]:col-span-2 @[36rem]:col-span-1">
          <span className="text-xs break-all">{user.id}</span>
        </Fact>
      </dl>
      <div className="grid gap-2 @[15.5rem]:grid-cols-2 @[36rem]:grid-cols-3">{actions}</div>
    </Card>
  );
}

type AvatarProps = { user: Schemas['User'] };

function Avatar({ user }: AvatarProps) {
  const frame = 'size-16 shrink-0 rounded-full border border-line';
  if (user.profileImageUrl !== null) {
    return <img src={user.profileImageUrl} alt="" className={`${frame} object-cover`} />;
  }
  return (
    <span
      aria-hidden
      className={`${frame} grid place-items-center bg-accent-wash text-[calc(var(--spacing)*5)] font-semibold text-accent`}
    >
      {initials(user)}
    </span>
  );
}
