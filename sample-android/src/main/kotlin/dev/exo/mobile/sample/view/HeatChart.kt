package dev.exo.mobile.sample.view

import android.content.Context
import android.graphics.Canvas
import android.graphics.DashPathEffect
import android.graphics.Paint
import android.graphics.Path
import android.view.View
import dev.exo.mobile.sample.R
import dev.exo.mobile.sample.words.HeatCurve
import dev.exo.mobile.sample.words.minutes
import kotlin.time.Duration.Companion.seconds

/** The past as a line, the forecast as a line in its band. The card around it says the same in words. */
internal class HeatChart(
    context: Context,
) : View(context) {
    var curve: HeatCurve? = null
        set(value) {
            field = value
            invalidate()
        }

    private val density = resources.displayMetrics.density
    private val grid = stroke(R.color.line, 1f)
    private val line = stroke(R.color.accent, 2.5f)
    private val ahead =
        stroke(R.color.accent, 2f).apply {
            pathEffect =
                DashPathEffect(floatArrayOf(6 * density, 5 * density), 0f)
        }
    private val band = Paint(Paint.ANTI_ALIAS_FLAG).apply { color = context.getColor(R.color.accent_wash) }
    private val spot = Paint(Paint.ANTI_ALIAS_FLAG).apply { color = context.getColor(R.color.accent) }
    private val label =
        Paint(Paint.ANTI_ALIAS_FLAG).apply {
            color = context.getColor(R.color.ink_soft)
            textSize = resources.getDimension(R.dimen.text_label)
        }

    init {
        importantForAccessibility = IMPORTANT_FOR_ACCESSIBILITY_NO
    }

    override fun onMeasure(
        width: Int,
        height: Int,
    ) {
        setMeasuredDimension(getDefaultSize(suggestedMinimumWidth, width), context.size(R.dimen.chart_height))
    }

    override fun onDraw(canvas: Canvas) {
        val curve = curve ?: return
        val plot = Plot(curve, width.toFloat(), height - label.textSize * 1.6f, label.textSize * 1.6f)
        drawGrid(canvas, plot)
        drawForecast(canvas, plot)
        drawPast(canvas, plot)
    }

    private fun drawGrid(
        canvas: Canvas,
        plot: Plot,
    ) {
        listOf(plot.top, (plot.top + plot.bottom) / 2, plot.bottom).forEach { canvas.drawLine(0f, it, plot.width, it, grid) }
        canvas.drawLine(plot.x(0.0), plot.top, plot.x(0.0), plot.bottom, grid)
        val (high, low) = plot.curve.labels
        canvas.drawText(high, 0f, plot.top - label.textSize * 0.4f, label)
        canvas.drawText(low, 0f, plot.bottom - label.textSize * 0.4f, label)
        val below = height - label.textSize * 0.2f
        canvas.drawText("−${minutes(plot.curve.past)}", 0f, below, label)
        drawEndingAt(canvas, "now", plot.x(0.0) + label.measureText("now") / 2, below)
        drawEndingAt(canvas, "+${minutes(plot.curve.forecast.seconds.seconds)}", plot.width, below)
    }

    private fun drawEndingAt(
        canvas: Canvas,
        text: String,
        x: Float,
        y: Float,
    ) = canvas.drawText(text, x - label.measureText(text), y, label)

    private fun drawForecast(
        canvas: Canvas,
        plot: Plot,
    ) {
        val forecast = plot.curve.forecast
        val now =
            plot.curve.points
                .last()
                .value
        val fan = Path()
        fan.moveTo(plot.x(0.0), plot.y(now))
        fan.lineTo(plot.x(forecast.seconds), plot.y(forecast.high))
        fan.lineTo(plot.x(forecast.seconds), plot.y(forecast.low))
        fan.close()
        canvas.drawPath(fan, band)
        val mean = Path()
        mean.moveTo(plot.x(0.0), plot.y(now))
        mean.lineTo(plot.x(forecast.seconds), plot.y(forecast.mean))
        canvas.drawPath(mean, ahead)
    }

    private fun drawPast(
        canvas: Canvas,
        plot: Plot,
    ) {
        val path = Path()
        plot.curve.points.forEachIndexed { index, point ->
            val x = plot.x(point.seconds)
            val y = plot.y(point.value)
            if (index == 0) path.moveTo(x, y) else path.lineTo(x, y)
        }
        canvas.drawPath(path, line)
        canvas.drawCircle(
            plot.x(0.0),
            plot.y(
                plot.curve.points
                    .last()
                    .value,
            ),
            4.5f * density,
            spot,
        )
    }

    private fun stroke(
        colour: Int,
        dp: Float,
    ) = Paint(Paint.ANTI_ALIAS_FLAG).apply {
        color = context.getColor(colour)
        style = Paint.Style.STROKE
        strokeWidth = dp * density
        strokeJoin = Paint.Join.ROUND
        strokeCap = Paint.Cap.ROUND
    }

    /** Where a time and a value lie on the screen. */
    private class Plot(
        val curve: HeatCurve,
        val width: Float,
        val bottom: Float,
        val top: Float,
    ) {
        private val past = curve.past.inWholeSeconds.toDouble()

        fun x(seconds: Double): Float = ((seconds + past) / (past + curve.forecast.seconds) * width).toFloat()

        fun y(value: Double): Float = (bottom - (value - curve.low) / (curve.high - curve.low) * (bottom - top)).toFloat()
    }
}
