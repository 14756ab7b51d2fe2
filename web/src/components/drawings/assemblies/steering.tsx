import { piece, type Assembly } from '@/components/drawings/assembly';
import { Cylinder, Ellipse, Tube } from '@/components/drawings/solids';

export const RACK: Assembly = {
  name: 'Rack-and-pinion steering',
  axis: 'M14 112H350',
  pieces: [
    piece(
      { name: 'hoses', labels: ['power-steering-hose'], at: [224, 48] },
      <Tube path="M76 62H132" width={5} />,
      <Tube path="M164 48H232C254 48 248 92 284 92" width={3} />,
      <Tube path="M62 70C62 86 70 84 84 84H216C244 84 244 100 284 100" width={3} />,
    ),
    piece(
      { name: 'outer tie rod end', labels: ['outer-tie-rod-end'], at: [28, 90] },
      <path d="M24 90h8v12h-8zM24 93h8M24 96h8" />,
      <path d="M20 98h16l4 7h-24z" />,
      <path d="M38 107h24v10h-24zM46 107v10M51 107v10M56 107v10" />,
      <path d="M16 105h24q6 8 0 15l-5 3h-14l-5 -3q-6 -7 0 -15z" />,
    ),
    piece(
      { name: 'inner tie rod', labels: ['inner-tie-rod'], at: [100, 108] },
      <Cylinder x={72} y={112} r={4} length={50} />,
      <path d="M76 108v8M80 108v8M84 108v8M88 108v8M134 107h8v10h-8z" />,
      <path d="M120 107q2 -5 8 -5h7v20h-7q-6 0 -8 -5z" />,
    ),
    piece(
      { name: 'boot', labels: ['steering-rack-boot'], at: [183, 94] },
      <path d="M150 106h4l3 -4 3 3 3 -5 3 3 3 -5 3 3 3 -5 3 3 3 -5h5v36h-5l-3 -5 -3 3 -3 -5 -3 3 -3 -5 -3 3 -3 -5 -3 3 -3 -4h-4z" />,
      <path d="M160 105v14M166 103v18M172 101v22M178 99v26" />,
    ),
    piece(
      {
        name: 'rack in its housing',
        labels: ['rack-and-pinion'],
        at: [258, 102],
      },
      <path d="M193 117V107h3v3h3v-3h3v3h3v-3h3v3h3v-3h3v3h3v-3h16v10z" />,
      <Cylinder x={224} y={112} r={10} length={94} />,
      <path d="M236 99h10v27h-10zM231 126h20v5h-20zM306 99h8v27h-8zM300 126h20v5h-20z" />,
      <path d="M280 86h20v32q-10 10 -20 0z" />,
      <ellipse cx="290" cy="86" rx="10" ry="3.5" className="fill-canvas" />,
      <path d="M322 103l4 4 3 -2 3 4 3 -1v8l-3 -1 -3 4 -3 -2 -4 4zM335 109h14v6h-14z" />,
    ),
    piece(
      { name: 'pinion', labels: [], at: [290, 34] },
      <path d="M286 34h8v16h-8zM286 38h8M286 42h8M281 50h18v6h-18zM282 56h16v20h-16z" />,
      <path d="M282 64l16 -7M282 70l16 -7M282 76l16 -7" />,
    ),
    piece(
      { name: 'shaft to the column', labels: ['steering-intermediate-shaft'], at: [336, 44] },
      <g transform="translate(332 54) rotate(-42)">
        <path d="M-16 -3h32v6h-32z" />
        <path d="M-27 -6h8v12h-8zM-19 -4h6v8h-6zM19 -6h8v12h-8zM13 -4h6v8h-6z" />
      </g>,
    ),
    piece(
      { name: 'pump', labels: ['power-steering-pump'], at: [136, 36] },
      <path d="M146 40h24v32h-24z" />,
      <Cylinder x={132} y={56} r={20} length={6} />,
      <Ellipse x={132} y={56} r={14} />,
      <Ellipse x={132} y={56} r={4} />,
    ),
    piece(
      { name: 'fluid reservoir', labels: ['power-steering-reservoir'], at: [62, 34] },
      <path d="M52 34h20v6h-20zM44 40h36v28q0 6 -6 6h-24q-6 0 -6 -6zM50 50h8M50 60h8" />,
    ),
  ],
};

export const COLUMN: Assembly = {
  name: 'Steering wheel and column',
  axis: 'M14 90H350',
  pieces: [
    piece(
      { name: 'steering wheel', labels: ['steering-wheel'], at: [34, 44] },
      <path d="M34 44H42A16.6 46 0 0 1 42 136H34Z" />,
      <Ellipse x={34} y={90} r={46} />,
      <ellipse cx="34" cy="90" rx="12.8" ry="38" className="fill-canvas" />,
      <path d="M22 82l8 -3h8l8 3v10l-8 2v32h-8V94l-8 -2z" />,
      <path d="M28 79q6 -5 12 0v17q-6 7 -12 0z" />,
    ),
    piece(
      { name: 'clock spring', labels: ['clock-spring'], at: [88, 67] },
      <path d="M88 106h12v14h-12zM91 120v5M97 120v5" />,
      <Cylinder x={86} y={90} r={23} length={8} />,
      <Ellipse x={86} y={90} r={19} />,
      <Ellipse x={86} y={90} r={15} />,
      <ellipse cx="86" cy="90" rx="3.6" ry="10" className="fill-canvas" />,
    ),
    piece(
      { name: 'switch with its levers', labels: ['turn-signal-switch'], at: [132, 32] },
      <path d="M133 76L130 48h5l4 28zM133 104l-3 24h5l4 -24z" />,
      <path d="M128 32h8l1 18h-8zM129 126h8l-1 16h-8z" />,
      <Cylinder x={130} y={90} r={18} length={14} hole={8} />,
    ),
    piece(
      { name: 'key', labels: ['key-fob'], at: [178, 38] },
      <path d="M184 42h20l4 3 -4 4h-20zM190 49v2M196 49v2" />,
      <path d="M170 38h10q6 0 6 7.5t-6 7.5h-10q-7 0 -7 -7.5t7 -7.5zM171 42h6M171 49h6" />,
      <circle cx="167" cy="45.5" r="1.5" />,
    ),
    piece(
      { name: 'lock cylinder', labels: ['ignition-lock-cylinder'], at: [232, 37] },
      <Cylinder x={222} y={46} r={9} length={26} />,
      <path d="M222 41v10M236 37h6v5h-6z" />,
    ),
    piece(
      { name: 'column', labels: ['steering-column'], at: [266, 78] },
      <Cylinder x={166} y={90} r={4} length={20} />,
      <path d="M172 86v8M176 86v8M180 86v8" />,
      <path d="M250 78v-7h34v7M202 102v14h18v-14" />,
      <Cylinder x={186} y={90} r={13} length={104} />,
      <Cylinder x={206} y={72} r={10} length={24} hole={6} />,
      <path d="M256 80h22M256 100h22" />,
    ),
    piece(
      { name: 'ignition switch', labels: ['ignition-switch'], at: [258, 114] },
      <path d="M240 114h26v20h-26zM232 120h8v8h-8zM266 118h6v12h-6zM272 121h4M272 127h4" />,
    ),
    piece(
      { name: 'intermediate shaft', labels: ['steering-intermediate-shaft'], at: [328, 84] },
      <path d="M306 84h6v-4h10v20h-10v-4h-6zM334 84h8v-4h8v20h-8v-4h-8z" />,
      <Cylinder x={320} y={90} r={5} length={14} />,
    ),
  ],
};

export const STEERING: Assembly = {
  name: 'Steering linkage',
  pieces: [
    piece(
      {
        name: 'steering gearbox with its shaft',
        labels: ['steering-gearbox'],
        at: [60, 36],
      },
      <path d="M42 44h36v38h-36zM56 36h8v8h-8zM56 82h8v8h-8zM42 52h-8v8h8M78 64h8v10h-8" />,
    ),
    piece(
      { name: 'pitman arm', labels: ['pitman-arm'], at: [62, 98] },
      <path d="M54 98a8 8 0 0 1 16 0l14 26a8 8 0 0 1 -14 8zM60 98a2 2 0 1 0 4 0a2 2 0 1 0 -4 0M75 127a2 2 0 1 0 4 0a2 2 0 1 0 -4 0" />,
    ),
    piece(
      {
        name: 'center link with its damper',
        labels: ['center-link', 'steering-damper'],
        at: [170, 108],
      },
      <Cylinder x={98} y={114} r={5} length={150} />,
      <path d="M110 114v12M236 114v12M150 124h44v10h-44zM194 127h20v4h-20z" />,
    ),
    piece(
      { name: 'idler arm', labels: ['idler-arm'], at: [274, 52] },
      <path d="M262 56h24v34h-24zM267 62v.1M281 62v.1M267 84v.1M281 84v.1" strokeWidth="2" />,
      <path d="M266 98a8 8 0 0 1 16 0l-4 26a8 8 0 0 1 -15 0zM272 98a2 2 0 1 0 4 0a2 2 0 1 0 -4 0M268 124a2 2 0 1 0 4 0a2 2 0 1 0 -4 0" />,
    ),
    piece(
      {
        name: 'inner tie rod',
        labels: ['inner-tie-rod'],
        at: [140, 56],
      },
      <Cylinder x={128} y={72} r={4} length={34} />,
      <circle cx="130" cy="72" r="7" />,
    ),
    piece(
      { name: 'outer tie rod end', labels: ['outer-tie-rod-end'], at: [206, 58] },
      <path d="M176 68h22v8h-22zM180 68v8M185 68v8M190 68v8M198 64h18v16h-18zM203 58h8v6h-8zM202 80h10l-2 12h-6z" />,
    ),
    piece(
      { name: 'knuckle', labels: ['steering-knuckle'], at: [326, 50] },
      <path d="M318 52h14l4 28 14 4v14l-14 6 -4 26h-14l-4 -30 -16 -4v-8l16 -6z" />,
      <circle cx="326" cy="92" r="10" />,
    ),
  ],
};
