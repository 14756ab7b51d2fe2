import { Notice } from '@/components/ui/notice';
import { signInFailure } from '@/features/accounts/auth/model';

type ArrivalNoticeProps = {
  /** The query of the address that a link or the sign-in provider led to. */
  query: URLSearchParams;
  onDismiss: () => void;
};

/** What became of a mailed link, or of a sign-in elsewhere. */
export function ArrivalNotice({ query, onDismiss }: ArrivalNoticeProps) {
  const message = messageOf(query);
  if (message === null) return null;
  return (
    <div role="status" className="mx-auto w-full max-w-2xl">
      <Notice tone={message.tone} title={message.title} onDismiss={onDismiss}>
        {message.text}
      </Notice>
    </div>
  );
}

function messageOf(query: URLSearchParams) {
  if (query.get('sign-in') === 'failed') {
    const text = signInFailure(query.get('reason'));
    return { tone: 'bad', title: 'You are not signed in', text } as const;
  }
  if (query.get('verified') === '1') {
    const text = 'Thank you. Your e-mail address is confirmed.';
    return { tone: 'good', title: 'E-mail address confirmed', text } as const;
  }
  if (query.get('verified') === '0') {
    const text =
      'It was followed before, or is older than 24 hours. If your address is not confirmed yet, sign in and ask for a new link here.';
    return { tone: 'warn', title: 'This link is no longer valid', text } as const;
  }
  return null;
}
