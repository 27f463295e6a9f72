import Charts
import SampleModels
import SwiftUI

/// What the sensor said, and the band in which it will be.
struct HeatChart: View {
    let curve: HeatCurve
    let spoken: String

    var body: some View {
        Chart {
            ForEach(curve.forecast) { reach in
                AreaMark(
                    x: .value("Seconds from now", reach.seconds), yStart: .value("Low", reach.low),
                    yEnd: .value("High", reach.high)
                )
                .foregroundStyle(Color.orange.opacity(0.25))
            }
            ForEach(curve.forecast) { reach in
                LineMark(
                    x: .value("Seconds from now", reach.seconds), y: .value("Forecast", reach.mean),
                    series: .value("Series", "forecast")
                )
                .foregroundStyle(Color.orange)
                .lineStyle(StrokeStyle(lineWidth: 2, dash: [4, 4]))
            }
            ForEach(curve.spots) { spot in
                LineMark(
                    x: .value("Seconds from now", spot.seconds), y: .value("Heat", spot.value),
                    series: .value("Series", "past")
                )
                .foregroundStyle(Color.accentColor)
            }
            RuleMark(x: .value("Now", 0.0))
                .foregroundStyle(Color.secondary.opacity(0.5))
        }
        .chartYScale(domain: curve.range)
        .chartYAxis {
            AxisMarks { value in
                AxisGridLine()
                AxisValueLabel { Text(value.as(Double.self).map(curve.label) ?? "") }
            }
        }
        .frame(minHeight: 180)
        // One sentence says more than a hundred points read aloud.
        .accessibilityElement(children: .ignore)
        .accessibilityLabel(spoken)
    }
}
