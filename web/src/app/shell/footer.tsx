export function Footer() {
  return (
    <footer className="px-4 py-6 text-center text-xs text-muted">
      © 2025 Partsight. All rights reserved.
    </footer>
  );
}
