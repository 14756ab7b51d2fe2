import { encode } from 'uqr';
import { nameOf, type BenchLine } from '@/features/bench/list/model';
import { formatDate } from '@/lib/format';

type LabelSheetProps = { line: BenchLine };

/** A label for one part, 62 mm wide as most label printers have it: name, number, bin, date, and a code to scan. */
export function LabelSheet({ line }: LabelSheetProps) {
  const link = linkOf(line);
  return (
    <div className="part-label">
      <div className="part-label-text">
        <p className="part-label-name">{nameOf(line) ?? 'Part without a name'}</p>
        {line.partNumber !== null && <p className="part-label-number">{line.partNumber}</p>}
        {line.bin !== '' && <p className="part-label-bin">{line.bin}</p>}
        <p className="part-label-date">
          {formatDate(new Date(line.at).toISOString())}, part {line.number}
        </p>
      </div>
      {link !== null && <QrCode text={link} />}
    </div>
  );
}

/** The address of the scan in the history, which whoever scans the label comes to; null while there is no answer. */
function linkOf({ answer }: BenchLine): string | null {
  if (answer.state !== 'answered') return null;
  return `${window.location.origin}/history?scan=${encodeURIComponent(answer.scanId)}`;
}

function QrCode({ text }: { text: string }) {
  // Medium correction: a label gets scratched. Four modules of quiet zone, as ISO/IEC 18004 asks for.
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')))
    .join('');
  return (
    <svg
      role="img"
      aria-label="QR code that leads to the scan"
      viewBox={`0 0 ${size} ${size}`}
      shapeRendering="crispEdges"
      className="part-label-code"
    >
      <path d={path} />
    </svg>
  );
}
