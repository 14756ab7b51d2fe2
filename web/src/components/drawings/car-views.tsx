/**
 * The line drawings that a part is pointed out on. All are 320 by 132, the front on the left, with room for a name
 * above y = 24, and take their stroke from whoever shows them.
 */

/** A car from its left side. */
export function CarSide() {
  return (
    <g>
      <path d="M40 110C32 110 28 105 28 98L30 86C31 79 36 76 44 74L102 64L134 41C139 38 143 37 149 37H204C212 37 219 39 225 43L256 63L282 67C289 68 293 72 293 79L294 99C294 106 290 110 283 110H268A24 24 0 0 0 220 110H102A24 24 0 0 0 54 110Z" />
      <path d="M112 64L138 45C141 43 144 42 148 42H174V64ZM180 42H203C209 42 214 43 219 47L241 64H180Z" />
      <path d="M177 64V106M112 64C109 78 109 92 113 106M241 64C244 72 240 82 229 88" />
      <path d="M160 72H169M224 72H233M98 69L46 79M111 60L118 60" />
      <path d="M33 83L47 80L46 88L31 90M285 76H293L293 88H286Z" />
      {[78, 244].map((x) => (
        <g key={x}>
          <circle cx={x} cy="110" r="18" />
          <circle cx={x} cy="110" r="10" />
          <circle cx={x} cy="110" r="2.5" />
        </g>
      ))}
    </g>
  );
}

/** A car from above, its body drawn as if it were of glass. */
export function CarPlan() {
  return (
    <g>
      <path d="M46 36C32 37 26 44 25 56V102C26 114 32 121 46 122H276C290 121 295 114 296 102V56C295 44 290 37 276 36Z" />
      {[32, 116].map((y) => (
        <g key={y} className="fill-surface">
          <rect x="62" y={y} width="36" height="11" rx="4" />
          <rect x="226" y={y} width="36" height="11" rx="4" />
        </g>
      ))}
      <path d="M80 43V116M244 43V116" />
      <rect x="32" y="58" width="6" height="42" rx="2" />
      <rect x="50" y="64" width="50" height="30" rx="4" />
      <path d="M100 66L112 71H140V87H112L100 92" />
      <path d="M140 77H234M140 81H234" />
      <circle cx="244" cy="79" r="9" />
      <path d="M112 40C107 50 107 58 110 66M110 92C107 100 107 108 112 118" />
      <path d="M76 94V104H250" />
      <rect x="250" y="97" width="34" height="14" rx="6" />
      <path d="M284 104H296" />
      <rect x="192" y="46" width="30" height="24" rx="4" />
      <rect x="46" y="44" width="15" height="14" rx="2" />
    </g>
  );
}

/** The front half of a cabin, as those in the rear see it. */
export function Cabin() {
  return (
    <g>
      <path d="M24 122V74C24 60 32 50 46 48L104 42H216L274 48C288 50 296 60 296 74V122" />
      <path d="M24 82H132M188 82H296" />
      <path d="M54 68C58 56 106 56 110 68V82H54Z" />
      <circle cx="72" cy="72" r="6" />
      <circle cx="92" cy="72" r="6" />
      <circle cx="82" cy="92" r="25" />
      <circle cx="82" cy="92" r="7" />
      <path d="M57 92H75M89 92H107M82 99V117" />
      <rect x="134" y="52" width="52" height="28" rx="3" />
      <path d="M134 84H186V122H134ZM139 90H181" />
      <path d="M160 112V99" />
      <circle cx="160" cy="95" r="5" />
      <rect x="206" y="58" width="72" height="18" rx="3" />
      <path d="M30 112H40V122M108 112H118V122M122 106H130V122" />
    </g>
  );
}

/** An engine from its side, the belt on the left and the transmission on the right. */
export function Engine() {
  return (
    <g>
      <path d="M150 40H246C250 40 252 42 252 46V52H144V46C144 42 146 40 150 40Z" />
      <path d="M144 52H252V70H144ZM140 70H256V102H140Z" />
      <path d="M150 102H250L240 118H172L164 110H150Z" />
      <path d="M128 48H144V104H132C128 104 126 102 126 98V50Z" />
      <circle cx="118" cy="94" r="9" />
      <circle cx="116" cy="64" r="7" />
      <path d="M108 94L109 63M127 95L123 66" />
      <path d="M256 68L270 62H286V112H270L256 104" />
      {[162, 186, 210, 234].map((x) => (
        <path key={x} d={`M${x - 5} 40V35H${x + 5}V40M${x} 52V70`} />
      ))}
      <path d="M152 76H244M152 96H244" />
    </g>
  );
}
