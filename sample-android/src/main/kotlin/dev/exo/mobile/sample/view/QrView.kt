package dev.exo.mobile.sample.view

import android.content.Context
import android.graphics.Canvas
import android.graphics.Color
import android.graphics.Paint
import android.view.View
import com.google.zxing.BarcodeFormat
import com.google.zxing.EncodeHintType
import com.google.zxing.WriterException
import com.google.zxing.common.BitMatrix
import com.google.zxing.qrcode.QRCodeWriter
import dev.exo.mobile.sample.R
import kotlin.math.min

/** A link as a QR code. Black on white by night too: not every camera reads it the other way round. */
internal class QrView(
    context: Context,
) : View(context) {
    private val ink = Paint().apply { color = Color.BLACK }
    private var code: BitMatrix? = null

    init {
        background = context.rounded(android.R.color.white, R.dimen.space_m)
    }

    fun show(link: String?) {
        code = link?.let(::encode)
        visibility = if (code == null) GONE else VISIBLE
        contentDescription = "QR code of $link"
        invalidate()
    }

    /** Null for a link that is too long for any code. */
    private fun encode(link: String): BitMatrix? =
        try {
            QRCodeWriter().encode(link, BarcodeFormat.QR_CODE, 0, 0, mapOf(EncodeHintType.MARGIN to QUIET))
        } catch (_: WriterException) {
            null
        }

    override fun onMeasure(
        width: Int,
        height: Int,
    ) {
        val side = context.size(R.dimen.qr_side)
        setMeasuredDimension(resolveSize(side, width), side)
    }

    override fun onDraw(canvas: Canvas) {
        val code = code ?: return
        // Whole pixels, or thin lines would show between the squares.
        val square = min(width, height) / code.width
        val left = (width - square * code.width) / 2
        val top = (height - square * code.height) / 2
        for (y in 0 until code.height) {
            for (x in 0 until code.width) {
                if (code[x, y]) canvas.drawRect(left, top, x, y, square)
            }
        }
    }

    private fun Canvas.drawRect(
        left: Int,
        top: Int,
        x: Int,
        y: Int,
        square: Int,
    ) {
        val from = (left + x * square).toFloat() to (top + y * square).toFloat()
        drawRect(from.first, from.second, from.first + square, from.second + square, ink)
    }

    private companion object {
        /** Empty squares around it, which readers want. */
        const val QUIET = 4
    }
}
