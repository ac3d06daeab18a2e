// Statistics that the page computes itself, because limits can be changed in it.

// Linear interpolation between order statistics, as everywhere in aiperf.
function quantile(sorted, q) {
  if (sorted.length === 0) return NaN;
  const rank = q * (sorted.length - 1);
  const below = Math.floor(rank);
  const above = Math.min(below + 1, sorted.length - 1);
  return sorted[below] + (sorted[above] - sorted[below]) * (rank - below);
}

function known(values) {
  return values.filter((value) => !Number.isNaN(value)).sort();
}

// Percentiles of a column in each slice. `bounds`: where each slice begins, and the end of the last.
function slicePercentiles(column, bounds, qs) {
  const result = qs.map(() => []);
  for (let slice = 0; slice + 1 < bounds.length; slice += 1) {
    const sorted = known(column.subarray(bounds[slice], bounds[slice + 1]));
    qs.forEach((q, index) => result[index].push(sorted.length ? quantile(sorted, q) : null));
  }
  return result;
}

function meets(value, limit, atLeast) {
  return atLeast ? value >= limit : value <= limit;
}

// How many rows meet all limits. A row without a value that has a limit does not meet it.
// `limits`: {column, limit, atLeast}.
function countGood(limits, from, to) {
  let good = 0;
  for (let row = from; row < to; row += 1) {
    let ok = true;
    for (const { column, limit, atLeast } of limits) {
      if (!meets(column[row], limit, atLeast)) {
        ok = false;
        break;
      }
    }
    if (ok) good += 1;
  }
  return good;
}

// Half the 95 % interval of how many of `rows` sampled rows have a property that `found` of them have. `share`: of all rows that were
// sampled.
function sampleSpread(found, rows, share) {
  const part = found / rows;
  return 1.96 * Math.sqrt(rows * part * (1 - part) * (1 - share));
}

// For each row the factor by which all limits must be multiplied for it to be good; infinite if no factor helps.
function neededScales(limits, rows) {
  const scales = new Float64Array(rows);
  for (const { column, limit, atLeast } of limits) {
    for (let row = 0; row < rows; row += 1) {
      const value = column[row];
      // A lower bound is divided by the factor: a larger factor is always easier.
      const needed = Number.isNaN(value) ? Infinity : atLeast ? (value > 0 ? limit / value : Infinity) : value / limit;
      if (needed > scales[row]) scales[row] = needed;
    }
  }
  return scales;
}
