type MailLinkProps = { address: string };

export function MailLink({ address }: MailLinkProps) {
  return (
    <a
      href={`mailto:${address}`}
      className="font-medium wrap-anywhere text-accent underline underline-offset-4"
    >
      {address}
    </a>
  );
}
