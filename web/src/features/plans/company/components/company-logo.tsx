import { Building2 } from 'lucide-react';

type CompanyLogoProps = { logo: string | null; alt?: string };

export function CompanyLogo({ logo, alt = '' }: CompanyLogoProps) {
  if (logo !== null) {
    return (
      <img
        src={logo}
        alt={alt}
        className="size-16 shrink-0 rounded-md border bg-canvas object-contain"
      />
    );
  }
  return (
    <span
      aria-hidden
      className="grid size-16 shrink-0 place-items-center rounded-md border bg-canvas text-muted"
    >
      <Building2 className="size-7" />
    </span>
  );
}
